// A module that exercises most rules of the grammar.
#pragma once

namespace hilo::tests {

// The sample of the language reference, section 1.13.
inline constexpr char kSmokeModule[] = R"hlo(// leading comment
HloModule smoke.1, is_scheduled=false, input_output_alias={ {0}: (1, {}, must-alias) }, entry_computation_layout={(f32[2,3]{0,1}, f32[3]{0}, /*index=2*/u64[2]{0})->(f32[3]{0}, f32[])}, frontend_attributes={note="a \"quoted\" string",mesh={m = #x.y<["a"=2]>}}

%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %r = f32[] add(%a, %b), metadata={op_name="jit(f)/add" source_file="x.py" source_line=3}
}

lt { l = f32[] parameter(0) r = f32[] parameter(1) ROOT c = pred[] compare(l, r), direction=LT, type=TOTALORDER }

ENTRY main.9 (p0: f32[2,3], p1: f32[3], p2: u64[2]) -> (f32[3], f32[]) {
  %p0 = f32[2,3]{0,1} parameter(0), sharding={devices=[2,1]<=[2]}
  %p1 = f32[3]{0} parameter(1)
  %p2 = u64[2]{0} parameter(2)
  %k = f32[2,3]{1,0} constant({ { 1, -2.5e-1, inf }, { nan, -nan(0x7), /*i=5*/ 3 } })
  %z = c64[2] constant({(1, -2), (0, 3.5)})
  %big = s32[1000]{0} constant({...})
  c0 = f32[] constant(0)
  %rng = (u64[2]{0}, u32[5]{0}) rng-bit-generator(%p2), algorithm=rng_default
  %bits = u32[5]{0} get-tuple-element(%rng), index=1
  %s = f32[2,3]{1,0} add(f32[2,3]{0,1} %p0, multiply(%k, %k))
  %t = f32[3]{0} reduce(%s, c0), dimensions={0}, to_apply=%sum
  %srt = f32[3]{0} sort(%t), dimensions={0}, is_stable=true, to_apply=lt
  %w = f32[3]{0} reduce-window(%srt, %c0), window={size=2 stride=1 pad=1_0}, to_apply=%sum, control-predecessors={%t}
  %cc = f32[3]{0} custom-call(%w, %bits), custom_call_target="Sharding", api_version=API_VERSION_TYPED_FFI, backend_config={uplo = 76 : ui8, n = {k = "}"}}
  %d = f32[] dot(%p1, %cc), lhs_contracting_dims={0}, rhs_contracting_dims={0}, operand_precision={highest,highest}
  ROOT %out = (f32[3]{0}, f32[]) tuple(%cc, %d)
}
)hlo";

}  // namespace hilo::tests
