import 'reflect-metadata';
import { announcement } from './announcement';
import { readEnvironment } from './config/environment';

const KEY = 'key-of-the-administrator-0123456789';
const LINK = '/password/link-of-the-administrator';
const ADDRESS = 'http://127.0.0.1:3000';

describe(announcement.name, () => {
  const environment = readEnvironment({});

  it('shows the addresses of the service and its documentation', () => {
    const text = announcement(ADDRESS, environment, undefined);
    expect(text).toMatch(/^ +Version +\d+\.\d+\.\d+$/m);
    expect(text).toContain(`${ADDRESS}/api/v2\n`);
    expect(text).toContain(`${ADDRESS}/api-docs\n`);
    expect(text).not.toMatch(/key/i);
  });

  it.each([true, false])('shows a generated API key with a curl command (demo data: %s)', (hasDemoData) => {
    const text = announcement(ADDRESS, environment, { adminKey: KEY, passwordLink: LINK, hasDemoData });
    expect(text).toContain(`API key        ${KEY}\n`);
    expect(text).toContain(`Sign in        ${ADDRESS}${LINK}\n`);
    expect(text).toContain(`curl -H 'X-API-Key: ${KEY}' ${ADDRESS}/api/v2/`);
  });

  it.each([true, false])('hides an API key set by the operator (demo data: %s)', (hasDemoData) => {
    const own = readEnvironment({ ADMIN_API_KEY: KEY });
    const text = announcement(ADDRESS, own, { adminKey: KEY, passwordLink: LINK, hasDemoData });
    expect(text).not.toContain(KEY);
    expect(text).not.toContain(LINK);
    expect(text).toContain('API key        the one in ADMIN_API_KEY\n');
    expect(text).toContain(`curl -H "X-API-Key: $ADMIN_API_KEY" ${ADDRESS}/api/v2/`);
  });
});
