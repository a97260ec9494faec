import { isOnThisMachine, parseSmtpUrl } from './smtp-url';

describe('the address of a mail server', () => {
  it('has a login, and requires STARTTLS', () => {
    expect(parseSmtpUrl('smtp://pms%40example.com:a%3Ab%2F@mail.example.com:2525')).toEqual({
      host: 'mail.example.com',
      port: 2525,
      user: 'pms@example.com',
      password: 'a:b/',
      encryption: 'starttls',
    });
  });

  it.each([
    ['smtp://mail.example.com', 587, 'starttls'],
    ['smtps://mail.example.com', 465, 'tls'],
    ['smtp://mail.example.com?starttls=optional', 587, 'optional'],
    ['smtp://localhost:1025', 1025, 'optional'],
    ['smtp://127.0.0.1:1025', 1025, 'optional'],
    ['smtp://[::1]:1025/', 1025, 'optional'],
  ])('reads %s', (text, port, encryption) => {
    expect(parseSmtpUrl(text)).toMatchObject({ port, encryption });
  });

  it('names the file of an authority', () => {
    expect(parseSmtpUrl('smtps://mail.internal?ca=/etc/ca.pem')?.authorityFile).toBe('/etc/ca.pem');
  });

  it.each([
    'mail.example.com',
    'http://mail.example.com',
    'smtp://',
    'smtp://mail.example.com/folder',
    'smtp://mail.example.com?tls=off',
    'smtp://mail.example.com?starttls=off',
    'smtps://mail.example.com?starttls=optional',
    'smtp://:password@mail.example.com',
    'smtp://%zz@mail.example.com',
  ])('refuses %s', (text) => {
    expect(parseSmtpUrl(text)).toBeUndefined();
  });

  it('is on this machine for the loopback addresses only', () => {
    const isHere = (text: string): boolean => {
      const server = parseSmtpUrl(text);
      return server !== undefined && isOnThisMachine(server);
    };
    expect(['smtp://localhost', 'smtp://127.0.0.53', 'smtp://[::1]'].every(isHere)).toBe(true);
    expect(isHere('smtp://localhost.example.com')).toBe(false);
  });
});
