/** What a handler gets and gives. One handler per row of the endpoint table; a missing one is a type error. */
import type { z } from 'zod';
import type { ENDPOINTS, OperationId } from '../../api/endpoints.ts';
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
  /** Path parameter by name; throws where the template has none of that name. */
  path(name: string): string;
  /** Query parameter as text, or null where it was not sent or is empty. */
  query(name: string): string | null;
  /** Comma-separated query parameter; empty where it was not sent. */
  list(name: string): string[];
  /** A text or number part of a multipart body; throws where the row has none of that name. */
  part(name: string): string;
  /** A file part of a multipart body; throws as `part` does. */
  file(name: string): UploadedPart;
  page: PageRequest;
  body: Body;
}

type Handler<O extends OperationId> = (service: Service, request: HandlerRequest<BodyOf<O>>) => Answer;
export type Handlers = { [O in OperationId]: Handler<O> };
/** A handler whose body type is not known where it is called: the row's schema has parsed it. */
export type AnyHandler = (service: Service, request: HandlerRequest<never>) => Answer;
