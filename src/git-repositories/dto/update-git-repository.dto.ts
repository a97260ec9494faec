import { PartialDto } from '../../http/partial-dto';
import { AddGitRepositoryDto } from './add-git-repository.dto';

/** Body of `updateGitRepository`. */
export class UpdateGitRepositoryDto extends PartialDto(AddGitRepositoryDto) {}
