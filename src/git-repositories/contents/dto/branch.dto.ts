import { ApiProperty } from '@nestjs/swagger';
import { TextField } from '../../../http/request/fields';
import { ParametersOfWrite } from '../../../http/request/unknown-names';
import { HashProperty } from './hash-property';

/** A branch of a git repository. */
export class BranchDto {
  @ApiProperty({ description: 'Without `refs/heads/`.', example: 'main' })
  name: string;

  @HashProperty({ description: 'The hash of its newest commit.' })
  commit: string;

  @ApiProperty({ description: 'Whether it is the default branch.', example: true })
  isDefault: boolean;
}

const NameField = (): PropertyDecorator =>
  TextField({
    description: 'Name of the branch, without `refs/heads/`.',
    min: 1,
    max: 244,
    example: 'feature/search',
  });

/** Body of `addBranch`. */
export class AddBranchDto {
  @NameField()
  name: string;

  @TextField({
    description: 'The branch, the tag or the commit at which it begins.',
    min: 1,
    max: 255,
    example: 'main',
  })
  from: string;
}

/** Query of `deleteBranch`. */
@ParametersOfWrite()
export class DeleteBranchQuery {
  @NameField()
  name: string;
}
