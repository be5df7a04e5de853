#!/usr/bin/env python3
"""Checks StableHLO that Hilo writes with MLIR and XLA.

  python3 tests/check_stablehlo.py HILO FILE.hlo...

Needs `pip install jax`. HILO, the command, converts each file. MLIR must parse and verify the text; with
--run, XLA's CPU backend must compute the same from it as from its own conversion of the module. Exits with
1 if something fails.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import jax
import jaxlib.lapack
import numpy
from jax._src.interpreters import mlir
from jax._src.lib import xla_client
from jaxlib import _hlo, _jax
from jaxlib.mlir import ir

from export_stablehlo import accepted_by_this_release

jax.config.update("jax_enable_x64", True)
jaxlib.lapack._lapack.initialize()  # or custom calls to LAPACK crash


def leaves(shape):
  if not shape.is_tuple():
    return [shape]
  return [leaf for part in shape.tuple_shapes() for leaf in leaves(part)]


def argument_of(shape, generator):
  kind = shape.numpy_dtype()
  size = shape.dimensions()
  if numpy.issubdtype(kind, numpy.integer):
    return generator.integers(0, 10, size).astype(kind)
  if kind == numpy.bool_:
    return generator.integers(0, 2, size).astype(kind)
  values = generator.uniform(0.1, 1, size)
  if numpy.issubdtype(kind, numpy.complexfloating):
    values = values + 1j * generator.uniform(0.1, 1, size)
  return values.astype(kind)


def results_of(stablehlo, arguments):
  device = jax.devices("cpu")[0]
  devices = xla_client.DeviceList((device,))
  executable = device.client.compile_and_load(stablehlo, devices, xla_client.CompileOptions())
  results = executable.execute_sharded([jax.device_put(a, device) for a in arguments])
  return [numpy.asarray(a[0]) for a in results.disassemble_into_single_device_arrays()]


def check_results(path, text, tolerance):
  """Compares what XLA computes from the HLO and the StableHLO of one module."""
  module = _hlo.hlo_module_from_text(accepted_by_this_release(path.read_text()))
  serialized = module.as_serialized_hlo_module_proto()
  generator = numpy.random.default_rng(0)
  shapes = _hlo.XlaComputation(serialized).program_shape().parameter_shapes()
  arguments = [argument_of(leaf, generator) for shape in shapes for leaf in leaves(shape)]
  expected = results_of(_jax.mlir.hlo_to_stablehlo(serialized), arguments)
  with mlir.make_ir_context():
    bytecode = mlir.module_to_bytecode(ir.Module.parse(text))
  got = results_of(bytecode, arguments)
  if len(got) != len(expected):
    raise ValueError(f"{len(got)} results, expected {len(expected)}")
  for i, (a, b) in enumerate(zip(got, expected)):
    kind = numpy.complex128 if numpy.iscomplexobj(b) else numpy.float64
    numpy.testing.assert_allclose(a.astype(kind), b.astype(kind), rtol=tolerance, atol=tolerance,
                                  err_msg=f"result {i}")


def check(path, options, scratch):
  def convert(source, target, *flags):
    command = [options.hilo, "convert", source, target, *flags]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return target

  text = convert(path, scratch / "checked.mlir").read_text()
  with mlir.make_ir_context():
    ir.Module.parse(text).operation.verify()
  if options.run:
    # Arrays are passed with their usual layouts.
    plain = convert(path, scratch / "plain.hlo", "--no-layouts")
    check_results(plain, convert(plain, scratch / "plain.mlir").read_text(), options.tolerance)


def main():
  parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
  parser.add_argument("hilo")
  parser.add_argument("files", type=pathlib.Path, nargs="+")
  parser.add_argument("--run", action="store_true", help="compare what XLA computes")
  parser.add_argument("--tolerance", type=float, default=1e-5)
  options = parser.parse_args()
  failed = 0
  with tempfile.TemporaryDirectory() as scratch:
    for path in options.files:
      try:
        check(path, options, pathlib.Path(scratch))
      except Exception as error:  # MLIR's and XLA's own kinds
        failed += 1
        reason = getattr(error, "stderr", None) or str(error)
        print(f"{path.name}: {' '.join(reason.split())[:500]}", file=sys.stderr)
  print(f"{len(options.files) - failed} accepted, {failed} failed")
  sys.exit(1 if failed else 0)


if __name__ == "__main__":
  main()
