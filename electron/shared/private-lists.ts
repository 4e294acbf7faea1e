/**
 * Lists of access keys and of people. They are stored for the window and the command line, but are not tables of SQL
 * and of mirrors, and no tool of an agent reads them. Pure.
 */
const PRIVATE: ReadonlySet<string> = new Set(['access-keys', 'users']);

/** `named`: a resource or one of its operations, as `users` or `users.list`. */
export const isPrivateList = (named: string): boolean => PRIVATE.has(named.split('.')[0] ?? '');
