/** A row of `auth`, as it answers it. */
export const sampleEnv = {
  id: '0b8a6b0e-0000-4000-8000-000000000001',
  created_at: '2026-01-02T03:04:05.678Z',
  name: 'harbour',
  node_selector: null,
  tolerations: null,
  auto_add_new_users: false,
};
