import { TextField } from '../../http/request/fields';
import { RepositoryNameField } from './repository-name';

/** Body of `addGitRepository`. */
export class AddGitRepositoryDto {
  @RepositoryNameField({ description: 'The name, used in paths; unique in the project.', example: 'web' })
  name: string;

  @TextField({ description: 'The description.', max: 100_000, optional: true, example: 'The web client' })
  description: string = '';
}
