import { TextField } from '../../http/request/fields';
import { RepositoryNameField } from './repository-name';

/** Body of `addGitRepository`. */
export class AddGitRepositoryDto {
  @RepositoryNameField({ description: 'What it is called in paths, once in a project.', example: 'web' })
  name: string;

  @TextField({ description: 'What it is for.', max: 100_000, optional: true, example: 'The web client' })
  description: string = '';
}
