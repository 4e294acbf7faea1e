import type { InvokeChannel } from '../shared/channels.ts';
import { CONTRACT, type ParsedArgs } from '../shared/contract.ts';
import { AppError } from '../shared/errors.ts';
import type { ZodError } from '../shared/zod.ts';

/** Parses the argument of a channel; the error names the field and the expected type, never the value. */
export function parseArgument<C extends InvokeChannel>(channel: C, argument: unknown): ParsedArgs<C> {
  const result = CONTRACT[channel].safeParse(argument);
  if (!result.success) throw new AppError('INVALID_ARGUMENT', sentence(channel, result.error));
  // The table ties the schema to the channel; the compiler cannot follow that through an index.
  return result.data as ParsedArgs<C>;
}

function sentence(channel: string, error: ZodError): string {
  const issue = error.issues[0];
  const where = issue === undefined || issue.path.length === 0 ? 'the argument' : issue.path.join('.');
  return `${channel}: ${where} was not accepted: ${issue?.message ?? 'wrong form'}.`;
}
