/** Input and output of handlers. Each row of the endpoint table has one handler; a missing one is a type error. */
import type { ENDPOINTS, OperationId } from '../../api/endpoints.ts';
import type * as z from '../../shared/zod.ts';
import type { Answer, PageRequest } from '../envelope.ts';
import type { Service } from '../service.ts';

type BodyOf<O extends OperationId> = (typeof ENDPOINTS)[O]['body'] extends z.ZodType
  ? z.infer<(typeof ENDPOINTS)[O]['body']>
  : unknown;

export interface UploadedPart {
  name: string;
  bytes: Uint8Array;
}

export interface HandlerRequest<Body = unknown> {
  /** Path parameter by name; throws if the template has no such name. */
  path(name: string): string;
  /** Query parameter as text; null if it was not sent or is empty. */
  query(name: string): string | null;
  /** Comma-separated query parameter; empty if it was not sent. */
  list(name: string): string[];
  /** A text or number part of a multipart body; throws if the row has no such name. */
  part(name: string): string;
  /** A file part of a multipart body; throws as `part` does. */
  file(name: string): UploadedPart;
  page: PageRequest;
  /** The token of the request. */
  token: string;
  body: Body;
}

type Handler<O extends OperationId> = (service: Service, request: HandlerRequest<BodyOf<O>>) => Answer;
export type Handlers = { [O in OperationId]: Handler<O> };
/** A handler whose body type is unknown to its caller; the row's schema has parsed the body. */
export type AnyHandler = (service: Service, request: HandlerRequest<never>) => Answer;
