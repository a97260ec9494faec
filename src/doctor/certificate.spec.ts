import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificate, storeCertificate } from '../../test/support/certificates';
import { Certificate } from '../http/server/certificate';
import { checkCertificate } from './certificate';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('checkCertificate', () => {
  let folder: string;
  let settings: { TLS_CERT: string; TLS_KEY: string };
  let validTo: number;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pms-certificate-'));
    settings = await storeCertificate(folder, await makeCertificate());
    validTo = new Certificate(settings).validTo.getTime();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    [20, 'ok'],
    [13, 'warning'],
    [-1, 'problem'],
  ])('reports a certificate with %s days left as %s', (days, level) => {
    const [finding] = checkCertificate(settings, validTo - days * DAY_MS);
    expect(finding).toMatchObject({ level, message: expect.stringContaining('is valid until 2') as string });
  });

  it('reports a problem for a certificate that cannot be read', () => {
    const file = join(folder, 'empty.pem');
    writeFileSync(file, '');
    const [finding] = checkCertificate({ ...settings, TLS_CERT: file });
    expect(finding).toMatchObject({
      level: 'problem',
      message: expect.stringMatching(/TLS_CERT.*empty\.pem/) as string,
    });
  });

  it('reports nothing without a certificate', () => {
    expect([...checkCertificate({})]).toEqual([]);
  });
});
