import { readEnvironment } from '../config/environment';
import { toGitRepositoryDto } from './git-repository.mapper';

const ROW = {
  id: 7,
  projectId: 3,
  projectKey: 'WEB',
  name: 'client',
  description: '',
  displayOrder: 0,
  defaultBranch: 'main',
  protectsDefaultBranch: true,
  createdUserId: 1,
  created: 0,
  updatedUserId: 1,
  updated: 0,
  pushedAt: null,
};

describe('the mapping of a git repository', () => {
  it.each([
    [{}, 'http://127.0.0.1:3000/git/WEB/client.git', 'git@127.0.0.1:/WEB/client.git'],
    [
      { PUBLIC_URL: 'https://pm.example.com:8443/' },
      'https://pm.example.com:8443/git/WEB/client.git',
      'git@pm.example.com:/WEB/client.git',
    ],
    [{ HOST: '::1' }, 'http://[::1]:3000/git/WEB/client.git', 'git@[::1]:/WEB/client.git'],
    [{ HOST: '::' }, 'http://localhost:3000/git/WEB/client.git', 'git@localhost:/WEB/client.git'],
  ])('returns the HTTP and SSH URLs for the environment %j', (variables, httpUrl, sshUrl) => {
    const environment = readEnvironment(variables);
    expect(toGitRepositoryDto(ROW, new Map(), environment)).toMatchObject({ httpUrl, sshUrl });
  });
});
