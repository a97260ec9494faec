import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller } from '../access/access';
import { type Caller } from '../access/caller';
import { EVERYONE } from '../access/role-type';
import { CountsAs } from '../limits/rate-class';
import { RequestRatesService } from '../limits/request-rates.service';
import { Operation } from '../openapi/operation';
import { RateLimitDto } from './dto/rate-limit.dto';

@ApiTags('Space')
@Controller('rateLimit')
export class RateLimitController {
  constructor(private readonly rates: RequestRatesService) {}

  @Get()
  @Operation({
    summary: "Get the caller's rate limits",
    description:
      'Of each class: `search` is lists and counts of issues and wiki pages, `icon` images of users and projects, `update` ' +
      'whatever changes something, `read` everything else. This operation does not count. When rate limits are switched ' +
      'off, all requests are always left.',
    returns: RateLimitDto,
  })
  @Access({ roles: EVERYONE })
  @CountsAs('nothing')
  async getRateLimit(@CurrentCaller() { id }: Caller): Promise<RateLimitDto> {
    return { rateLimit: await this.rates.look(id) };
  }
}
