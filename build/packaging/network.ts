/** Checks whether electron-builder can download a tool; without an answer, it would try for most of a minute. */
import { connect } from 'node:net';

const LIMIT_MS = 5_000;

/** Why electron-builder's download site cannot be reached; undefined if it can. */
export function unreachable(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  // Not checked, because a proxy resolves names itself and answers for other hosts.
  if (env['HTTPS_PROXY'] !== undefined || env['https_proxy'] !== undefined) return Promise.resolve(undefined);
  const url = new URL(env['ELECTRON_BUILDER_BINARIES_MIRROR'] ?? 'https://github.com');
  return new Promise((resolve) => {
    const socket = connect({ host: url.hostname, port: Number(url.port) || 443 });
    const finish = (reason: string | undefined): void => {
      socket.destroy();
      resolve(reason);
    };
    socket.setTimeout(LIMIT_MS, () => finish(`${url.host} did not answer in ${LIMIT_MS / 1000} s`));
    socket.on('connect', () => finish(undefined));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      finish(`${url.host} is out of reach (${error.code ?? error.message})`),
    );
  });
}
