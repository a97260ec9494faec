import { type Request } from 'express';
import { readSettings } from '../../config/environment';
import { RelyingPartyService } from './relying-party.service';

const find = (settings: Record<string, string>, host: string, protocol = 'http') =>
  new RelyingPartyService(readSettings(settings)).find({ headers: { host }, protocol } as Request);

describe('the host of passkeys', () => {
  it.each([
    ['https://tracker.example.com', { id: 'tracker.example.com', origin: 'https://tracker.example.com' }],
    ['https://tracker.example.com/', { id: 'tracker.example.com', origin: 'https://tracker.example.com' }],
    [
      'https://Tracker.example.com:8443',
      { id: 'tracker.example.com', origin: 'https://tracker.example.com:8443' },
    ],
    ['http://localhost:3000', { id: 'localhost', origin: 'http://localhost:3000' }],
    ['http://tracker.example.com', undefined],
    ['https://192.0.2.1', undefined],
    ['https://[2001:db8::1]', undefined],
  ])('is that of PUBLIC_URL %s', (PUBLIC_URL, party) => {
    for (const host of ['localhost:3000', 'pms.internal']) expect(find({ PUBLIC_URL }, host)).toEqual(party);
  });

  it.each([
    ['localhost', 'http', { id: 'localhost', origin: 'http://localhost' }],
    ['LOCALHOST:3000', 'http', { id: 'localhost', origin: 'http://localhost:3000' }],
    ['localhost:443', 'https', { id: 'localhost', origin: 'https://localhost' }],
    ['localhost:99999', 'http', undefined],
    ['127.0.0.1:3000', 'http', undefined],
    ['[::1]:3000', 'http', undefined],
    ['tracker.example.com', 'https', undefined],
    ['localhost.example.com', 'https', undefined],
    ['localhost@example.com', 'https', undefined],
    ['', 'http', undefined],
  ])(
    'is the host of the request to %s by %s without PUBLIC_URL, if it is localhost',
    (host, protocol, party) => {
      expect(find({}, host, protocol)).toEqual(party);
    },
  );
});
