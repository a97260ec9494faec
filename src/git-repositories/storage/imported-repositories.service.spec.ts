import { type GitProgram } from '../../git/git-program';
import { type GitStore } from '../../git/git-store';
import { type GitPushRepository } from '../data/git-push.repository';
import { type GitSizesService } from './git-sizes.service';
import { ImportedRepositoriesService } from './imported-repositories.service';

describe(ImportedRepositoriesService.name, () => {
  it('removes no folder once another worker has the import', async () => {
    const store = { remove: vi.fn(), makeTemporary: vi.fn() };
    const repositories = new ImportedRepositoriesService(
      {} as GitPushRepository,
      {} as GitSizesService,
      {} as GitProgram,
      store as unknown as GitStore,
    );
    const lost = () => Promise.reject(new Error('The import is lost.'));
    const made = repositories.make({ id: 1, head: 'refs/heads/main' }, lost, lost);
    await expect(made).rejects.toThrow('The import is lost.');
    expect(store.remove).not.toHaveBeenCalled();
    expect(store.makeTemporary).not.toHaveBeenCalled();
  });
});
