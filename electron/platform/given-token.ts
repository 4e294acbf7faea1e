/** The token of SPANDECK_TOKEN: what is started from here on does not inherit it. */

let given: string | null = null;

/** Takes it out of the environment. To be called before any program or thread is started. */
export function takeTokenFromEnvironment(): void {
  given ??= process.env['SPANDECK_TOKEN'] ?? '';
  delete process.env['SPANDECK_TOKEN'];
}

/** What it held; empty where it was not set. */
export function givenToken(): string {
  takeTokenFromEnvironment();
  return given ?? '';
}
