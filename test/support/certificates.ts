import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';

/** A self-signed certificate for 127.0.0.1 and its key, in PEM. */
export interface TestCertificate {
  cert: string;
  key: string;
}

/** Creates a certificate. */
export async function makeCertificate(commonName = 'localhost'): Promise<TestCertificate> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: commonName }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  return { cert, key };
}

/** Writes the certificate and its key into a folder, and returns the settings with their paths. */
export async function storeCertificate(
  folder: string,
  { cert, key }: TestCertificate,
): Promise<{ TLS_CERT: string; TLS_KEY: string }> {
  const settings = { TLS_CERT: join(folder, 'cert.pem'), TLS_KEY: join(folder, 'key.pem') };
  await Promise.all([writeFile(settings.TLS_CERT, cert), writeFile(settings.TLS_KEY, key)]);
  return settings;
}
