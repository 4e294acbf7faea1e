/** The error of a command if the service refused its rows. Pure. */
import { AppError, type WireError } from '../shared/errors.ts';

/** An error with the code and status of the first refusal, so that all commands exit with the same code for it. */
export function refusalOf(first: WireError | null, message: string, nextStep: string): AppError {
  const said = first === null ? '' : ` The first refusal: ${first.message}`;
  return new AppError(first?.code ?? 'UNPROCESSABLE', `${message}${said}`, {
    ...{ nextStep },
    ...statusOf(first),
  });
}

/** The HTTP status of a failure; empty if there was no answer. */
export function statusOf(failure: WireError | null): { status?: number } {
  const status = failure?.details.status;
  return status === undefined ? {} : { status };
}
