import { BooleanField } from '../../http/request/fields';
import { PartialDto } from '../../http/request/partial-dto';
import { AddGitRepositoryDto } from './add-git-repository.dto';
import { BranchField } from './branch-name';

/** Body of `updateGitRepository`. */
export class UpdateGitRepositoryDto extends PartialDto(AddGitRepositoryDto) {
  @BranchField({
    description:
      'The branch that a clone checks out. It must exist unless the repository has no branches. Specific to this service.',
    optional: true,
    example: 'main',
  })
  defaultBranch?: string;

  @BooleanField({
    description:
      'Whether the default branch is protected against deletion and pushes that rewrite it. Specific to this service.',
    optional: true,
    example: true,
  })
  protectsDefaultBranch?: boolean;
}
