import type { Client } from '@berth/client';

type Answered = Awaited<ReturnType<Client['deploymentPlans']['of_creation']>>;

export type DeploymentPlan = Extract<Answered, { ok: true }>['value'];
