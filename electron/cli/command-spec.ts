/** The parts of a command that its parsing, help and completion follow. */
import type { ParseArgsOptionsConfig } from 'node:util';
import type { OperationId } from '../api/endpoints.ts';

/** Sets of flags that stand for each other. */
export type FlagSets = readonly (readonly string[])[];

export interface CommandSpec {
  name: string;
  /** Positional arguments as shown in the help: `APP`, `[ID]`; one that ends with `...` may come more often. */
  usage: string;
  summary: string;
  options: ParseArgsOptionsConfig;
  /** Flags that must be given. */
  required?: readonly string[];
  /** Groups: of each, the flags of one set must be given. */
  oneOf?: readonly FlagSets[];
  /** Operations of the endpoint table that the command uses and that no verb reaches. */
  operations: readonly OperationId[];
}
