/** An error that a handler throws in order to answer with an error envelope (SERVICE.md S2.3, S7). */
interface ServiceIssue {
  reason: string;
  message: string;
  help: string;
}

/** Default `reason` and message for each status. The list of reasons is "not shown", so clients must use the status. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'ResourceNotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  413: 'PayloadTooLarge',
  422: 'UnprocessableEntity',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
};

export function reasonOf(status: number): string {
  return REASONS[status] ?? 'HttpError';
}

export class ServiceError extends Error {
  readonly status: number;
  readonly issues: ServiceIssue[];
  /** Whether the form of the request is invalid, whatever data is stored; such errors are counted in the report. */
  readonly isMalformed: boolean;

  constructor(
    status: number,
    message: string,
    options: { reason?: string; issues?: ServiceIssue[]; isMalformed?: boolean } = {},
  ) {
    super(message);
    this.status = status;
    this.isMalformed = options.isMalformed ?? false;
    this.issues = options.issues ?? [{ reason: options.reason ?? reasonOf(status), message, help: '' }];
  }
}

/** An error for a request with an invalid form: a 400 that counts as malformed. */
export function malformed(message: string, issues?: ServiceIssue[]): ServiceError {
  return new ServiceError(400, message, {
    reason: 'ValidationError',
    isMalformed: true,
    ...(issues === undefined ? {} : { issues }),
  });
}

export function notFound(what: string, id: string): ServiceError {
  return new ServiceError(404, `${what} ${id} was not found.`, { reason: 'ResourceNotFound' });
}
