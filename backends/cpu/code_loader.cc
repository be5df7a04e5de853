// One ORC session per loader, one dynamic library per piece of code.
#include "backends/cpu/code_loader.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/CoreContainers.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/ExecutionEngine/Orc/SymbolStringPool.h"
#include "llvm/ExecutionEngine/Orc/TaskDispatch.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace hilo::backends {
namespace {

namespace orc = llvm::orc;

absl::Status LoaderError(llvm::Error error) {
  return absl::InternalError(llvm::toString(std::move(error)));
}

}  // namespace

struct CodeLoader::Session {
  explicit Session(std::unique_ptr<orc::SelfExecutorProcessControl> process)
      : session(std::move(process)), layer(session) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() { llvm::consumeError(session.endSession()); }

  orc::ExecutionSession session;
  orc::ObjectLinkingLayer layer;
  // What this process exports.
  orc::JITDylib* process_symbols = nullptr;
  // Libraries so far: their names differ.
  std::atomic<int64_t> library_count = 0;
};

struct LoadedCode::State {
  State(std::shared_ptr<CodeLoader::Session> its_session,
        orc::JITDylib& its_library)
      : session(std::move(its_session)), library(&its_library) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { llvm::consumeError(session->session.removeJITDylib(*library)); }

  // Shared with the loader and with other code.
  std::shared_ptr<CodeLoader::Session> session;
  orc::JITDylib* library = nullptr;
};

LoadedCode::LoadedCode(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
LoadedCode::LoadedCode(LoadedCode&&) noexcept = default;
LoadedCode& LoadedCode::operator=(LoadedCode&&) noexcept = default;
LoadedCode::~LoadedCode() = default;

absl::StatusOr<std::vector<void*>> LoadedCode::FindAll(
    absl::Span<const std::string> symbols) const {
  orc::ExecutionSession& session = state_->session->session;
  std::vector<orc::SymbolStringPtr> names;
  names.reserve(symbols.size());
  for (const std::string& symbol : symbols) {
    names.push_back(session.intern(symbol));
  }
  llvm::Expected<orc::SymbolMap> found = session.lookup(
      orc::makeJITDylibSearchOrder(state_->library,
                                   orc::JITDylibLookupFlags::MatchAllSymbols),
      orc::SymbolLookupSet(names));
  if (!found) {
    llvm::Error error = found.takeError();
    const bool is_missing = error.isA<orc::SymbolsNotFound>();
    std::string message = llvm::toString(std::move(error));
    return is_missing ? absl::NotFoundError(message)
                      : absl::InternalError(message);
  }
  std::vector<void*> addresses;
  addresses.reserve(names.size());
  for (const orc::SymbolStringPtr& name : names) {
    addresses.push_back((*found)[name].getAddress().toPtr<void*>());
  }
  return addresses;
}

absl::StatusOr<void*> LoadedCode::Find(absl::string_view symbol) const {
  absl::StatusOr<std::vector<void*>> addresses = FindAll({std::string(symbol)});
  if (!addresses.ok()) return addresses.status();
  return (*addresses)[0];
}

CodeLoader::CodeLoader(std::shared_ptr<Session> session)
    : session_(std::move(session)) {}
CodeLoader::~CodeLoader() = default;

absl::StatusOr<std::unique_ptr<CodeLoader>> CodeLoader::Create() {
  llvm::Expected<std::unique_ptr<orc::SelfExecutorProcessControl>> process =
      orc::SelfExecutorProcessControl::Create(
          nullptr, std::make_unique<orc::InPlaceTaskDispatcher>());
  if (!process) return LoaderError(process.takeError());
  auto session = std::make_shared<Session>(std::move(*process));
  session->process_symbols = &session->session.createBareJITDylib("<process>");
  llvm::Expected<std::unique_ptr<orc::DynamicLibrarySearchGenerator>> search =
      orc::DynamicLibrarySearchGenerator::GetForCurrentProcess('\0');
  if (!search) return LoaderError(search.takeError());
  session->process_symbols->addGenerator(std::move(*search));
  return std::unique_ptr<CodeLoader>(new CodeLoader(std::move(session)));
}

absl::StatusOr<LoadedCode> CodeLoader::Load(
    absl::Span<const std::string> objects,
    absl::Span<const HostSymbol> symbols) const {
  orc::ExecutionSession& session = session_->session;
  orc::JITDylib& library = session.createBareJITDylib(
      absl::StrCat("code ", session_->library_count++));
  LoadedCode code(std::make_unique<LoadedCode::State>(session_, library));
  library.addToLinkOrder(*session_->process_symbols);
  if (!symbols.empty()) {
    orc::SymbolMap map;
    for (const HostSymbol& symbol : symbols) {
      map[session.intern(symbol.name)] = {
          orc::ExecutorAddr::fromPtr(symbol.address),
          llvm::JITSymbolFlags::Exported};
    }
    if (llvm::Error error =
            library.define(orc::absoluteSymbols(std::move(map)))) {
      return LoaderError(std::move(error));
    }
  }
  for (const std::string& object : objects) {
    if (llvm::Error error = session_->layer.add(
            library, llvm::MemoryBuffer::getMemBufferCopy(object))) {
      return LoaderError(std::move(error));
    }
  }
  return code;
}

}  // namespace hilo::backends
