/** Servers, clients and failures, for tests of the service client. */
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import type { CallOptions } from '../../electron/api/types.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { cleanUpAfterEach } from './clean-ups.ts';
import { type ClientRig, type ClientRigOptions, openClient } from './client-rig.ts';
import { type Script, ScriptedServer } from './scripted-server.ts';

export const VIEW: CallOptions = { priority: 'view' };
export const UPLOAD: CallOptions = { priority: 'upload' };
export const MODEL_ID = '5f0c7c1e-3c3b-4e57-9a3b-0d5f5a1f2b3c';
/** Longer than a valid name, so that no name server is queried, whatever the network. */
export const NO_SUCH_HOST = `${'x'.repeat(64)}.invalid`;
export const EVENTS = {
  body: {
    model_id: MODEL_ID,
    env_type: 'PRODUCTION',
    source: { type: 'EVENTS', events: [{ age: 3 }] },
  },
};

/** The AppError with which a call fails. */
export async function failure(promise: Promise<unknown>): Promise<AppError> {
  try {
    await promise;
  } catch (problem) {
    if (problem instanceof AppError) return problem;
    throw problem;
  }
  throw new Error('Nothing failed.');
}

/** Must be called once at the top of a test file. Objects that these functions open are closed after each test. */
export function clientBench() {
  const later = cleanUpAfterEach();
  return {
    later,
    serve: async (script: Script): Promise<ScriptedServer> => {
      const server = await ScriptedServer.start(script);
      later(async () => server[Symbol.asyncDispose]());
      return server;
    },
    connect: (options: ClientRigOptions): ClientRig => {
      const rig = openClient(options);
      later(async () => rig[Symbol.asyncDispose]());
      return rig;
    },
    /** A server on the level of TCP. */
    tcp: (onSocket: (socket: Socket) => void) => startTcp(onSocket, later),
  };
}

async function startTcp(
  onSocket: (socket: Socket) => void,
  later: (cleanUp: () => unknown) => void,
): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    onSocket(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  later(
    () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
