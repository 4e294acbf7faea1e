/** A thread that reads the system's certificate authorities once, which takes tenths of a second, and ends. */
import { getCACertificates } from 'node:tls';
import { parentPort } from 'node:worker_threads';

const builtIn = new Set(getCACertificates('default'));
parentPort?.postMessage([...new Set(getCACertificates('system'))].filter((pem) => !builtIn.has(pem)));
