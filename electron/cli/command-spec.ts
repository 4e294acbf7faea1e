/** The description of a command, used for parsing, help and completion. */
import type { ParseArgsOptionsConfig } from 'node:util';
import type { OperationId } from '../api/endpoints.ts';

/** Alternative sets of flags. */
export type FlagSets = readonly (readonly string[])[];

export interface CommandSpec {
  name: string;
  /** Positional arguments as shown in the help: `APP`, `[ID]`; one that ends with `...` may be repeated. */
  usage: string;
  summary: string;
  options: ParseArgsOptionsConfig;
  /** Flags that must be given. */
  required?: readonly string[];
  /** Groups of alternatives: of each group, all flags of one set must be given. */
  oneOf?: readonly FlagSets[];
  /** Operations of the endpoint table that the command uses and that no verb covers. */
  operations: readonly OperationId[];
}
