import { Controller, Get, Header, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Response } from 'express';
import { Public } from '../access/access';
import { SCRIPT, SCRIPT_PATH } from './script';
import { STYLE, STYLE_PATH } from './style';

/** Their paths contain a digest of their contents. */
const FOREVER = 'public, max-age=31536000, immutable';

/** The files that pages load. */
@ApiExcludeController()
@Public()
@Controller()
export class PageFilesController {
  @Get(STYLE_PATH)
  @Header('Cache-Control', FOREVER)
  getStyle(@Res() response: Response): void {
    response.type('css').send(STYLE);
  }

  @Get(SCRIPT_PATH)
  @Header('Cache-Control', FOREVER)
  getScript(@Res() response: Response): void {
    response.type('js').send(SCRIPT);
  }
}
