import { type ForgeForm, isForgeAddress, toForgeAddress } from '../forges/address';
import { type RemoteAddresses } from '../source';

/** The addresses of repositories of GitHub, or of a GitHub Enterprise Server. */
export const GITHUB_FORM: ForgeForm = {
  scheme: 'github',
  hosted: { web: 'https://github.com', api: 'https://api.github.com' },
  apiPath: '/api/v3',
  isPath: (path) => /^[A-Za-z0-9][\w-]{0,99}\/(?!\.{1,2}$)[\w.-]{1,100}$/.test(path),
  example: 'github:OWNER/REPO',
};

export const githubAddresses: RemoteAddresses = {
  form: GITHUB_FORM.example,
  givesKeys: true,
  accepts: (from) => isForgeAddress(GITHUB_FORM, from),
  originsOf: (from) => {
    const { api, web } = toForgeAddress(GITHUB_FORM, from);
    return [api, web];
  },
};
