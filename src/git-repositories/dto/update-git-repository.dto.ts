import { PartialDto } from '../../http/request/partial-dto';
import { AddGitRepositoryDto } from './add-git-repository.dto';

/** Body of `updateGitRepository`. */
export class UpdateGitRepositoryDto extends PartialDto(AddGitRepositoryDto) {}
