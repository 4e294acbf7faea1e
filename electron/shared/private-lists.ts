/**
 * Lists of access keys and of people. The window and the command line use them, but they are no tables of SQL or
 * mirrors, and no tool of an agent reads them. Pure.
 */
const PRIVATE: ReadonlySet<string> = new Set(['access-keys', 'users']);

/** `named` is a resource or one of its operations, e.g. `users` or `users.list`. */
export const isPrivateList = (named: string): boolean => PRIVATE.has(named.split('.')[0] ?? '');
