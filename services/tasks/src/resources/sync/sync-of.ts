import type { ResourceRecord } from '../../records/resource-record.ts';
import type { Sync } from './sync.ts';

type Stored = Pick<ResourceRecord, 'sync_status' | 'is_live' | 'known' | 'fence' | 'is_outdated'>;

export const syncOf = ({ sync_status, is_live, known, fence, is_outdated }: Stored): Sync => ({
  sync_status,
  exists: is_live,
  known,
  call: fence === null ? 'none' : is_outdated ? 'outdated' : 'current',
});

/** The row in that state. A deleted row loses its sensitive props. */
export function withSync(row: ResourceRecord, { sync_status, exists, known, call }: Sync): ResourceRecord {
  const nothing = { sealed_names: [], key_id: null, wrapped_key: null, sealed_props: null };
  return {
    ...row,
    ...(!exists && nothing),
    sync_status,
    is_live: exists,
    known,
    fence: call === 'none' ? null : row.fence,
    is_outdated: call === 'outdated',
  };
}
