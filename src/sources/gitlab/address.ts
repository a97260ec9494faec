import { type ForgeForm, isForgeAddress, toForgeAddress } from '../forges/address';
import { type RemoteAddresses } from '../source';

/** The addresses of projects of GitLab. */
export const GITLAB_FORM: ForgeForm = {
  scheme: 'gitlab',
  hosted: { web: 'https://gitlab.com', api: 'https://gitlab.com/api/v4' },
  apiPath: '/api/v4',
  isPath: (path) => path.length <= 500 && /^\w[\w.-]*(\/\w[\w.-]*)+$/.test(path),
  example: 'gitlab:GROUP/PROJECT',
};

export const gitlabAddresses: RemoteAddresses = {
  form: GITLAB_FORM.example,
  givesKeys: true,
  // Also of a public project, nobody else may see comments, changes, links and members.
  needsKey: true,
  accepts: (from) => isForgeAddress(GITLAB_FORM, from),
  originsOf: (from) => {
    const { api, web } = toForgeAddress(GITLAB_FORM, from);
    return [api, web];
  },
};
