/** The error of a command whose rows were refused by the service. Pure. */
import { AppError, type WireError } from '../shared/errors.ts';

/** Has the code and the status of the first refusal, so that scripts get the same exit code from each command. */
export function refusalOf(first: WireError | null, message: string, nextStep: string): AppError {
  const said = first === null ? '' : ` The first refusal: ${first.message}`;
  const status = first?.details.status;
  return new AppError(first?.code ?? 'UNPROCESSABLE', `${message}${said}`, {
    ...{ nextStep },
    ...(status === undefined ? {} : { status }),
  });
}
