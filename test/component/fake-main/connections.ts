/** Connections, keychain and connection test as the scenario requires. */
import type { ConnectionList } from '../../../electron/shared/contract.ts';
import type {
  Connection,
  ConnectionDraft,
  ConnectionSecrets,
  ConnectionTest,
  KeychainStatus,
} from '../../../electron/shared/model.ts';
import { CONNECTION_ID, NEW_ID, NOW, SAMPLE_ID, scenario } from './scenario.ts';

const SAVED_AT = NOW - 12 * 86_400_000;

const production: Connection = {
  id: CONNECTION_ID,
  name: 'Production',
  baseUrl: 'https://monitor.example.com',
  colour: 'indigo',
  isReadOnly: scenario.isReadOnly === true,
  allowsPlainHttp: false,
  ...(scenario.answerTimeoutS === undefined ? {} : { answerTimeoutS: scenario.answerTimeoutS }),
  proxyUrl: null,
  extraCaFile: null,
  tokenStorage: 'keychain',
  kind: scenario.isSample === true ? 'sample' : 'service',
  createdAtMs: SAVED_AT,
  tokenHint: { lastFour: 'x7Qa', savedAtMs: SAVED_AT },
};
const sample: Connection = {
  ...production,
  id: SAMPLE_ID,
  name: 'Sample workspace',
  colour: 'teal',
  kind: 'sample',
};

const isFirstRun = scenario.isFirstRun === true;
const held: ConnectionList = {
  connections: isFirstRun ? [] : [production, sample],
  activeId: isFirstRun ? null : CONNECTION_ID,
  isSampleRunning: true,
  updating: scenario.updating ?? [],
  isKeychainWaiting: false,
};

export const list = (): ConnectionList => held;

function put(connection: Connection): Connection {
  held.connections = [...held.connections.filter(({ id }) => id !== connection.id), connection];
  return connection;
}

export function save(draft: ConnectionDraft, token: string | null, secrets: ConnectionSecrets): Connection {
  const kinds = (['proxy', 'certificate'] as const).filter((kind) => secrets[kind] !== undefined);
  const tokenHint = token === null ? production.tokenHint : { lastFour: token.slice(-4), savedAtMs: NOW };
  return put({
    ...production,
    ...draft,
    id: draft.id ?? NEW_ID,
    tokenHint,
    ...(kinds.length === 0 ? {} : { keptSecrets: kinds }),
  });
}

export function activate(id: string): Connection {
  held.activeId = id;
  return held.connections.find((connection) => connection.id === id) ?? production;
}

export function openSample(): Connection {
  put(sample);
  return activate(SAMPLE_ID);
}

export function forget(id: string): { removed: string[] } {
  held.connections = held.connections.filter((connection) => connection.id !== id);
  return {
    removed: [
      'token in the keychain',
      'stored pages, uploads and receipts',
      'readable copies of its files',
      'logs',
    ],
  };
}

export function keychain(): KeychainStatus {
  if (scenario.hasKeychain !== false) return { isAvailable: true, backend: 'Secret Service', reason: '' };
  return {
    isAvailable: false,
    backend: 'none',
    reason: 'No Secret Service answers on this desktop. Keep the token for this session only.',
  };
}

export function testConnection(): ConnectionTest {
  const nothing = {
    serverVersion: null,
    apiVersion: null,
    organization: null,
    reach: 'Directly: no proxy is set. Certificates are checked against the built-in authorities.',
    elapsedMs: 84,
  };
  if (scenario.test === 'insecure') {
    return {
      ...nothing,
      elapsedMs: null,
      isOk: false,
      code: 'INSECURE_URL',
      title: 'Not encrypted',
      message: 'Plain http to staging.example.com would send the access token unencrypted.',
      nextStep: 'Use https://, or allow plain http for this connection, under Network.',
    };
  }
  if (scenario.test === 'refused') {
    return {
      ...nothing,
      isOk: false,
      code: 'UNAUTHORIZED',
      title: 'Token not accepted',
      message: 'The service answered 401: it does not know this token.',
      nextStep: 'Copy the token again from the service’s settings; it may have expired.',
    };
  }
  return {
    ...nothing,
    isOk: true,
    code: null,
    title: 'Connected',
    message: 'The service answered and accepts the token.',
    nextStep: '',
    serverVersion: '25.4.1',
    apiVersion: '3.0',
    organization: 'Example',
  };
}
