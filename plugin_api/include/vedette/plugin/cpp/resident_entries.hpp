// Help for plugins written in C++; not part of the ABI. The entries about images kept on a device.
#ifndef VEDETTE_PLUGIN_CPP_RESIDENT_ENTRIES_HPP
#define VEDETTE_PLUGIN_CPP_RESIDENT_ENTRIES_HPP

#include <memory>

#include "operation_entries.hpp"
#include "resident.hpp"

namespace vedette::plugin {

// resident_create and resident_destroy, for a Backend that also is OperationEntries<Backend> and has
//
//     using Resident;  // the class behind vdt_resident
//     static std::unique_ptr<Resident> make_resident(Device& device, const vdt_image& image);  // checked, not NONE
template <class Backend>
struct ResidentEntries {
    static vdt_code resident_create(vdt_device* device, const vdt_image* image, vdt_resident** resident, vdt_error*) {
        need(resident, "resident");
        *resident = nullptr;
        auto& opened = Handle<vdt_device, typename Backend::Device>::need(device, "device");
        check_image(image, Pixels::present, detail::limits_of<Backend>(device), {"image", 0});
        if (image->format == VDT_FORMAT_NONE) throw Failure(VDT_E_ARGUMENT, "there is no image to keep");
        *resident = Handle<vdt_resident, typename Backend::Resident>::give(Backend::make_resident(opened, *image));
        return VDT_OK;
    }

    static void resident_destroy(vdt_resident* resident) {
        Handle<vdt_resident, typename Backend::Resident>::destroy(resident);
    }
};

}  // namespace vedette::plugin
#endif
