/** The token from SPANDECK_TOKEN, hidden from programs started later. */

let given: string | null = null;

/** Removes it from the environment. Call before any program or thread is started. */
export function takeTokenFromEnvironment(): void {
  given ??= process.env['SPANDECK_TOKEN'] ?? '';
  delete process.env['SPANDECK_TOKEN'];
}

/** Its value; empty if it was not set. */
export function givenToken(): string {
  takeTokenFromEnvironment();
  return given ?? '';
}
