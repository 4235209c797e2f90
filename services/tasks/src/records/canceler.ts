/** Who canceled a task, and why. */
export interface Canceler {
  user_id: string | null;
  deployment_id: string | null;
  reason: string | null;
}
