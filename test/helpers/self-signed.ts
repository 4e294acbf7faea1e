/**
 * Makes a self-signed certificate for 127.0.0.1, localhost and one more name, so that the repository need not contain a
 * key.
 */
import { generateKeyPairSync, sign } from 'node:crypto';

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length =
    size < 128
      ? Buffer.from([size])
      : size < 256
        ? Buffer.from([0x81, size])
        : Buffer.from([0x82, size >> 8, size & 255]);
  return Buffer.concat([Buffer.from([tag]), length, content]);
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));

function name(commonName: string): Buffer {
  return sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(commonName)))));
}

/** A time in the form YYMMDDhhmmssZ. */
const time = (text: string) => der(0x17, Buffer.from(text));

/** Validity in the form YYMMDDhhmmssZ; by default from 2020 to 2049. */
const VALID = { from: '200101000000Z', to: '490101000000Z' };

export function selfSigned(host = 'localhost', valid = VALID): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const altNames = sequence(
    ...['localhost', host].map((each) => der(0x82, Buffer.from(each))),
    der(0x87, Buffer.from([127, 0, 0, 1])),
  );
  const isAuthority = sequence(der(0x01, Buffer.from([0xff])));
  const extensions = sequence(
    sequence(oid('551d11'), der(0x04, altNames)),
    sequence(oid('551d13'), der(0x01, Buffer.from([0xff])), der(0x04, isAuthority)),
  );
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ECDSA_WITH_SHA256,
    name('Spandeck test'),
    sequence(time(valid.from), time(valid.to)),
    name('Spandeck test'),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey));
  const lines =
    sequence(body, ECDSA_WITH_SHA256, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}
