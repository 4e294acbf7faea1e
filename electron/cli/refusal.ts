/** The error of a command whose rows were refused by the service. Pure. */
import { AppError, type WireError } from '../shared/errors.ts';

/** Has the code and the status of the first refusal, so that scripts get the same exit code from each command. */
export function refusalOf(first: WireError | null, message: string, nextStep: string): AppError {
  const said = first === null ? '' : ` The first refusal: ${first.message}`;
  return new AppError(first?.code ?? 'UNPROCESSABLE', `${message}${said}`, {
    ...{ nextStep },
    ...statusOf(first),
  });
}

/** The status of the answer of the service; empty without one. */
export function statusOf(failure: WireError | null): { status?: number } {
  const status = failure?.details.status;
  return status === undefined ? {} : { status };
}
