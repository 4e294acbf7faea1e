/** The token in SPANDECK_TOKEN, hidden from programs that are started later. */

let given: string | null = null;

/** Removes the token from the environment. Call it before any program or thread is started. */
export function takeTokenFromEnvironment(): void {
  given ??= process.env['SPANDECK_TOKEN'] ?? '';
  delete process.env['SPANDECK_TOKEN'];
}

/** The token; empty if the variable was not set. */
export function givenToken(): string {
  takeTokenFromEnvironment();
  return given ?? '';
}
