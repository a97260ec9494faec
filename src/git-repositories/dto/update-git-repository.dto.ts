import { BooleanField } from '../../http/request/fields';
import { PartialDto } from '../../http/request/partial-dto';
import { AddGitRepositoryDto } from './add-git-repository.dto';
import { BranchField } from './branch-name';

/** Body of `updateGitRepository`. */
export class UpdateGitRepositoryDto extends PartialDto(AddGitRepositoryDto) {
  @BranchField({
    description:
      'The branch that a clone begins with, which has to be there unless the repository has no branches. A field of this service alone.',
    optional: true,
    example: 'main',
  })
  defaultBranch?: string;

  @BooleanField({
    description:
      'Whether the default branch is protected against deletion and pushes that rewrite it. A field of this service alone.',
    optional: true,
    example: true,
  })
  protectsDefaultBranch?: boolean;
}
