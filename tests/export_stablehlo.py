#!/usr/bin/env python3
"""Exports HLO modules as StableHLO: text, portable artifact and plain bytecode.

  python3 tests/export_stablehlo.py OUTPUT FILE.hlo...

Needs `pip install jax`. For each NAME.hlo, OUTPUT gets NAME.mlir, NAME.mlirbc (a portable artifact of
--target, which `jax.export` would write) and NAME.plain.mlirbc (the bytecode of the module as it is).
Says which modules XLA does not convert, and exits with 1 if there are any.
"""

import argparse
import io
import pathlib
import re
import sys

from jaxlib import _hlo, _jax
from jax._src.interpreters import mlir
from jaxlib.mlir import ir


def accepted_by_this_release(text):
  """Text without donation, which conversion refuses, and attributes newer than jaxlib."""
  comments, name, rest = text.partition("HloModule ")
  header, newline, body = rest.partition("\n")
  for attribute in ("input_output_alias", "buffer_donor"):
    header = re.sub(rf", {attribute}=\{{(?:[^{{}}]|\{{[^{{}}]*\}})*\}}", "", header)
  body = re.sub(r"( topk\(.*), is_stable=\w+", r"\1", body)
  return comments + name + header + newline + body


def export(path, output, target):
  module = _hlo.hlo_module_from_text(accepted_by_this_release(path.read_text()))
  converted = _jax.mlir.hlo_to_stablehlo(module.as_serialized_hlo_module_proto())
  with mlir.make_ir_context():
    parsed = ir.Module.parse(converted)
    text = str(parsed)
    plain = io.BytesIO()
    parsed.operation.write_bytecode(plain)
  artifact = _jax.mlir.serialize_portable_artifact(text, target)
  output.joinpath(path.stem + ".mlir").write_text(text)
  output.joinpath(path.stem + ".mlirbc").write_bytes(artifact)
  output.joinpath(path.stem + ".plain.mlirbc").write_bytes(plain.getvalue())


def main():
  parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
  parser.add_argument("output", type=pathlib.Path)
  parser.add_argument("files", type=pathlib.Path, nargs="+")
  parser.add_argument("--target", default="1.15.0", help="the version of StableHLO")
  options = parser.parse_args()
  options.output.mkdir(parents=True, exist_ok=True)
  failed = 0
  for path in options.files:
    try:
      export(path, options.output, options.target)
    except Exception as error:  # XLA's own kinds
      failed += 1
      print(f"{path.name}: {str(error).splitlines()[0]}", file=sys.stderr)
  print(f"{len(options.files) - failed} exported, {failed} failed")
  return 1 if failed else 0


if __name__ == "__main__":
  sys.exit(main())
