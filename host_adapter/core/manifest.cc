#include "manifest.h"

#include "failure.h"
#include "json_input.h"
#include "text.h"

namespace vedette::host {
namespace {

constexpr std::uint64_t most_versions = 1000;

// A name that dlopen and the file system take as one name, never as a path.
bool plain_file_name(const std::string& name) {
    return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

}  // namespace

Manifest parse_manifest(const std::string& text, const std::string& name) {
    const nlohmann::json document = parse_json(text, name);
    JsonObject object(document, name, "");
    for (const char* key : {"schema", "id", "library", "abi"}) object.require(key);
    object.whole("schema", 1, 1, 1);
    Manifest manifest;
    manifest.id = object.text("id", 32, "");
    if (!valid_backend_name(manifest.id))
        object.fail("id",
                    "must be lower-case letters, digits, '-' and '_', a letter first, 32 at most, and none of "
                    "auto, prefer, force, forbid");
    manifest.library = object.text("library", 255, "");
    if (!plain_file_name(manifest.library)) object.fail("library", "must be a file name without a directory");
    JsonObject abi = *object.object("abi");
    for (const char* key : {"major", "minor_min", "minor_max"}) abi.require(key);
    manifest.abi_major = static_cast<std::uint32_t>(abi.whole("major", 1, most_versions, 1));
    manifest.abi_minor_min = static_cast<std::uint32_t>(abi.whole("minor_min", 0, most_versions, 0));
    manifest.abi_minor_max = static_cast<std::uint32_t>(abi.whole("minor_max", 0, most_versions, 0));
    if (manifest.abi_minor_max < manifest.abi_minor_min) abi.fail("minor_max", "is below minor_min");
    abi.finish();
    manifest.needs = object.texts("needs", 255, 64);
    for (const std::string& need : manifest.needs)
        if (!plain_file_name(need)) object.fail("needs", "must hold names of libraries without a directory");
    manifest.list_apart = object.boolean("list_apart", false);
    manifest.options = object.options("options");
    manifest.description = one_line(object.text("description", 200, "").c_str(), 1000);
    object.finish();
    return manifest;
}

Manifest read_manifest(const std::filesystem::path& file) {
    return parse_manifest(read_json_file(file), file.string());
}

}  // namespace vedette::host
