import type { OperationSpec, RequestInput, Resource, ResponseOutput } from '@berth/contracts/definition/contract';
import type { contracts } from '@berth/contracts/resources/index';
import type { Answer } from '../http/answer.ts';
import type { CallOptions } from '../http/send.ts';
import type { TextStream } from '../http/text-stream.ts';

// In the published package this file is written out, by `scripts/client`: types of the contracts enter only here.
export type { Page } from '@berth/contracts/definition/paging';
export type { HelmChart } from '@berth/contracts/resources/charts/helm-charts';
export type { Deployment } from '@berth/contracts/resources/deployments/deployments';
export type { DeploymentTask } from '@berth/contracts/resources/tasks/deployment-tasks';
export type { JsonObject, JsonValue } from '@berth/contracts/fields/json';

type Contracts = typeof contracts;

/** An operation of the public API; internal ones have no route. */
type IsPublic<S extends OperationSpec> = S['http'] extends string ? true : false;

type Value<S extends OperationSpec> = S['produces'] extends string ? TextStream : ResponseOutput<S>;

/** The request may be omitted if none of its parts is required. */
type ApiCall<S extends OperationSpec> =
  object extends RequestInput<S>
    ? (request?: RequestInput<S>, options?: CallOptions) => Promise<Answer<Value<S>>>
    : (request: RequestInput<S>, options?: CallOptions) => Promise<Answer<Value<S>>>;

type OperationsOf<R> = R extends Resource<infer Ops> ? Ops : never;

type PublicCalls<Ops extends Record<string, OperationSpec>> = {
  readonly [K in keyof Ops as IsPublic<Ops[K]> extends true ? K : never]: ApiCall<Ops[K]>;
};

type PublicResource<R> = keyof PublicCalls<OperationsOf<R>> extends never ? never : R;

/** Every public operation as a method: `client.deployments.create({ body })`. */
export type Client = {
  readonly [R in keyof Contracts as PublicResource<Contracts[R]> extends never ? never : R]: PublicCalls<
    OperationsOf<Contracts[R]>
  >;
};
