import { hasUploads } from './context';

const UUID = '01234567-89ab-cdef-0123-456789abcdef';

describe(hasUploads.name, () => {
  it.each([
    `https://github.com/user-attachments/assets/${UUID}`,
    'https://github.com/user-attachments/files/123/log.txt',
    'https://user-images.githubusercontent.com/1/2.png',
    'https://private-user-images.githubusercontent.com/1/2.png?jwt=x',
    'https://cloud.githubusercontent.com/assets/1/2/3.png',
    'https://github.com/octo/web-app/files/123/log.txt',
    `https://github.com/octo/web-app/assets/1/${UUID}`,
    `https://git.example.com:8443/octo/web-app/assets/1/${UUID}`,
  ])('finds %s in a text', (address) => {
    expect(hasUploads(`See ![picture](${address}) here.`)).toBe(true);
  });

  it.each([
    'https://github.com/octo/web-app/releases/download/v1/app.zip',
    'https://github.com/octo/web-app/blob/main/assets/1/logo.png',
    'https://github.com/octo/web-app/blob/main/files/1/logo.png',
    'https://github.com/octo/web-app/files',
    'https://avatars.githubusercontent.com/u/1',
  ])('does not take %s for an upload', (address) => {
    expect(hasUploads(`See ![picture](${address}) here.`)).toBe(false);
  });
});
