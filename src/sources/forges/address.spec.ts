import { type ForgeForm, isForgeAddress, toForgeAddress } from './address';

const form: ForgeForm = {
  scheme: 'forge',
  hosted: { web: 'https://forge.example', api: 'https://api.forge.example' },
  apiPath: '/api/v9',
  isPath: (path) => /^\w+\/\w+$/.test(path),
  example: 'forge:OWNER/REPO',
};

describe(toForgeAddress.name, () => {
  it.each([
    ['forge:a/b', 'https://forge.example/', 'https://api.forge.example/'],
    [
      'forge+https://git.example.com:8443/a/b',
      'https://git.example.com:8443/',
      'https://git.example.com:8443/api/v9',
    ],
    ['forge+http://127.0.0.1:3000/a/b', 'http://127.0.0.1:3000/', 'http://127.0.0.1:3000/api/v9'],
  ])('returns where the pages and the API of %s are', (text, web, api) => {
    const address = toForgeAddress(form, text);
    expect([address.web.href, address.api.href, address.path]).toEqual([web, api, 'a/b']);
  });

  it.each([
    'forge:a',
    'forge:a/b/c',
    'forge://a/b',
    'forge:../b',
    'forge+https:',
    'forge+https://host',
    'forge+https://host/a',
    'forge+https://user:key@host/a/b',
    'forge+https://host/a/b?key=1',
    'forge+http://example.com/a/b',
  ])('refuses %s', (text) => {
    expect(() => toForgeAddress(form, text)).toThrow(/forge\+https:\/\/HOST\/OWNER\/REPO/);
  });
});

describe(isForgeAddress.name, () => {
  it('accepts only the schemes of the form', () => {
    const texts = [
      'forge:a/b',
      'forge+https://h/a/b',
      'forge+http://h/a/b',
      'forgery:a/b',
      'forge',
      'forge.pms',
    ];
    expect(texts.map((text) => isForgeAddress(form, text))).toEqual([true, true, true, false, false, false]);
  });
});
