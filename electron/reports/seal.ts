/** Computes hashes and signatures of reports: SHA-256 and Ed25519. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
} from 'node:crypto';
import type { ReportSeal } from '../shared/report-model.ts';

/** A key pair of this computer. */
export interface SigningKey {
  /** The public key as base64 (SPKI, DER). */
  public: string;
  fingerprint: string;
  /** The signature of a text as base64. */
  sign(text: string): string;
}

export const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');

/** SHA-256 in the form of a content security policy. */
export const sha256Base64 = (text: string): string => createHash('sha256').update(text).digest('base64');

/** A new private key as base64 (PKCS 8, DER), as it is stored in the keychain. */
export function newPrivateKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64');
}

/** Parses a private key; null if the text is not one. */
export function signingKey(stored: string): SigningKey | null {
  try {
    const key = createPrivateKey({ key: Buffer.from(stored, 'base64'), type: 'pkcs8', format: 'der' });
    if (key.asymmetricKeyType !== 'ed25519') return null;
    const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
    return {
      public: spki.toString('base64'),
      fingerprint: fingerprintOf(spki),
      sign: (text) => sign(null, Buffer.from(text), key).toString('base64'),
    };
  } catch {
    // Another program may have stored a keychain entry of the same name.
    return null;
  }
}

/** The fingerprint of a key: `SHA256:` and the hash in groups of four characters, which people can compare. */
function fingerprintOf(spki: Uint8Array): string {
  return `SHA256:${(sha256(spki).slice(0, 40).match(/.{4}/g) ?? []).join(' ')}`;
}

/** The seal of a text. If `key` is null, it contains only the hash. */
export function sealOf(text: string, key: SigningKey | null): ReportSeal {
  const hash = sha256(text);
  if (key === null) return { sha256: hash, key: null, signature: null };
  return {
    sha256: hash,
    key: { algorithm: 'ed25519', public: key.public, fingerprint: key.fingerprint },
    signature: key.sign(hash),
  };
}

/** Whether the signature matches the hash and the key, and the fingerprint matches the key. */
export function isSealed({ sha256: hash, key, signature }: ReportSeal): boolean {
  if (key === null || signature === null) return false;
  try {
    const spki = Buffer.from(key.public, 'base64');
    // Several base64 texts can stand for the same bytes, so the texts are compared exactly to notice every changed
    // character.
    const isExact = spki.toString('base64') === key.public;
    const bytes = Buffer.from(signature, 'base64');
    if (!isExact || bytes.toString('base64') !== signature || fingerprintOf(spki) !== key.fingerprint)
      return false;
    return verify(
      null,
      Buffer.from(hash),
      createPublicKey({ key: spki, type: 'spki', format: 'der' }),
      bytes,
    );
  } catch {
    // The text is not a key in this format.
    return false;
  }
}
