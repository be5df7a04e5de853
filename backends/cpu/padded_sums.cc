// Describes tiles of sums to the library.
#include "backends/cpu/padded_sums.h"

#include <cstdint>
#include <string>
#include <vector>

#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalValue.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Alignment.h"

#include "backends/codegen/element_value.h"
#include "backends/codegen/loop.h"
#include "backends/cpu/matmul_code.h"
#include "backends/cpu/matmul_cursor.h"
#include "backends/cpu/matmul_plan.h"
#include "backends/cpu/matmul_unit.h"
#include "runtime/host/padded_convolution.h"

namespace hilo::backends {
namespace {

// What hilo_skip_padding reads, as a constant of the module.
llvm::Value* ConstantOf(llvm::IRBuilderBase& builder,
                        const runtime::PaddedConvolution& convolution,
                        const std::vector<runtime::SpatialLoop>& spatial) {
  std::string bytes(reinterpret_cast<const char*>(&convolution),
                    sizeof(convolution));
  bytes.append(reinterpret_cast<const char*>(spatial.data()),
               spatial.size() * sizeof(spatial[0]));
  llvm::Constant* value = llvm::ConstantDataArray::getString(
      builder.getContext(), bytes, /*AddNull=*/false);
  auto* constant = new llvm::GlobalVariable(
      *builder.GetInsertBlock()->getModule(), value->getType(),
      /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage, value, "tile");
  constant->setAlignment(llvm::Align(alignof(runtime::PaddedConvolution)));
  return constant;
}

}  // namespace

void EmitSkipPadding(MatmulCode& code, const MatmulArguments& arguments,
                     const PaddedWindow& window, const SumTile& tile,
                     const MatmulCursor& cursor) {
  const MatmulPlan& plan = code.plan();
  llvm::IRBuilderBase& builder = code.builder();
  runtime::PaddedConvolution convolution = window.convolution;
  convolution.output_argument = static_cast<int32_t>(arguments.output_number);
  convolution.output_bytes = static_cast<int32_t>(code.stored_bytes());
  convolution.tile_rows = tile.rows;
  convolution.row_stride = plan.rows.back().output_stride;
  convolution.column_stride = plan.columns.back().output_stride;
  convolution.sum_row_stride = tile.row_stride;
  llvm::Type* pointer = builder.getPtrTy();
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  const llvm::FunctionCallee function = module.getOrInsertFunction(
      "hilo_skip_padding",
      llvm::FunctionType::get(
          builder.getVoidTy(),
          {pointer, pointer, pointer, pointer, builder.getInt64Ty(), pointer},
          /*isVarArg=*/false));
  builder.CreateCall(
      function,
      {ConstantOf(builder, convolution, window.spatial), arguments.array,
       cursor.output, tile.memory, tile.columns, arguments.weights_state});
}

}  // namespace hilo::backends
