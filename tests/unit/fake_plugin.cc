#include "fake_plugin.h"

#include <array>
#include <cstdio>
#include <cstring>

namespace vedette::test {
namespace {

std::array<Fake*, fake_places> fakes{};
std::array<vdt_plugin, fake_places> tables{};

struct FakeDevice {
    Fake* fake;
    std::uint32_t index;
};

Fake& fake_of(vdt_self* self) {
    return *reinterpret_cast<Fake*>(self);
}
FakeDevice& device_of(vdt_device* device) {
    return *reinterpret_cast<FakeDevice*>(device);
}

template <int Place>
vdt_code create(const vdt_host* host, const vdt_option*, std::uint32_t, vdt_self** self, vdt_error* error) {
    Fake& fake = *fakes[Place];
    ++fake.creates;
    fake.host = host;
    *self = reinterpret_cast<vdt_self*>(&fake);
    return fake.create ? fake.create(error) : VDT_OK;
}

void destroy(vdt_self* self) {
    ++fake_of(self).destroys;
}

vdt_code device_count(vdt_self* self, std::uint32_t* count, vdt_error* error) {
    *count = fake_of(self).device_count;
    if (*count == 0) fail(error, fake_of(self).no_device_code, "There is nothing here.");
    return VDT_OK;
}

vdt_code device_info(vdt_self* self, std::uint32_t index, vdt_device_info* info, vdt_error*) {
    info->kind = fake_of(self).own_memory ? VDT_DEVICE_GPU : VDT_DEVICE_CPU;
    info->memory_bytes = fake_of(self).own_memory ? std::uint64_t{1} << 30 : 0;
    std::snprintf(info->name, sizeof info->name, "%s device %u", fake_of(self).id.c_str(), index);
    std::snprintf(info->uid, sizeof info->uid, "fake:%u", index);
    info->memory_mask = 1u << VDT_MEMORY_HOST;
    info->flags = fake_of(self).no_costs ? std::uint32_t{VDT_DEVICE_NO_COSTS} : 0;
    return VDT_OK;
}

vdt_code device_open(vdt_self* self, std::uint32_t index, vdt_device** device, vdt_error* error) {
    Fake& fake = fake_of(self);
    const vdt_code code = fake.device_open ? fake.device_open(index, error) : VDT_OK;
    if (code < 0) return code;
    ++fake.opens;
    *device = reinterpret_cast<vdt_device*>(new FakeDevice{&fake, index});
    return VDT_OK;
}

void device_close(vdt_device* device) {
    ++device_of(device).fake->closes;
    delete &device_of(device);
}

vdt_code op_support(vdt_device* device, const vdt_query* query, vdt_op_support* support, vdt_error* error) {
    support->level = VDT_SUPPORT_YES;
    support->variant_count = static_cast<std::uint32_t>(device_of(device).fake->variants.size());
    support->determinism = VDT_DETERMINISM_EXACT;
    support->memory_mask = 1u << VDT_MEMORY_HOST;
    const Fake& fake = *device_of(device).fake;
    return fake.support ? fake.support(*query, *support, error) : VDT_OK;
}

vdt_code op_variant(vdt_device* device, const vdt_query* query, vdt_variant_info* info, vdt_error*) {
    std::snprintf(info->name, sizeof info->name, "%s", device_of(device).fake->variants.at(query->variant).c_str());
    return VDT_OK;
}

vdt_code op_cost(vdt_device* device, const vdt_query* query, vdt_cost* cost, vdt_error* error) {
    Fake& fake = *device_of(device).fake;
    ++fake.costs_asked;
    return fake.cost(*query, *cost, error);
}

vdt_code plan_create(vdt_device* device, const vdt_query* query, vdt_plan** plan, vdt_error* error) {
    Fake& fake = *device_of(device).fake;
    const vdt_code code = fake.plan_create ? fake.plan_create(*query, error) : VDT_OK;
    if (code < 0) return code;
    ++fake.plans_made;
    *plan = reinterpret_cast<vdt_plan*>(new Fake*(&fake));
    return VDT_OK;
}

vdt_code plan_run(vdt_plan* plan, const vdt_call* call, vdt_error* error) {
    Fake& fake = **reinterpret_cast<Fake**>(plan);
    ++fake.runs;
    return fake.run ? fake.run(*call, error) : VDT_OK;
}

void plan_destroy(vdt_plan* plan) {
    Fake** const fake = reinterpret_cast<Fake**>(plan);
    ++(*fake)->plans_destroyed;
    delete fake;
}

vdt_code resident_create(vdt_device* device, const vdt_image* image, vdt_resident** resident, vdt_error* error) {
    Fake& fake = *device_of(device).fake;
    const vdt_code code = fake.resident_create ? fake.resident_create(*image, error) : VDT_OK;
    if (code < 0) return code;
    ++fake.residents_made;
    *resident = reinterpret_cast<vdt_resident*>(new Fake*(&fake));
    return VDT_OK;
}

void resident_destroy(vdt_resident* resident) {
    Fake** const fake = reinterpret_cast<Fake**>(resident);
    ++(*fake)->residents_destroyed;
    delete fake;
}

// The functions above may throw, which the table's type forbids: a plugin in C++ can break that promise just like this.
template <class Slot, class Function>
void set(Slot& slot, Function* function) {
    slot = reinterpret_cast<Slot>(function);
}

template <int Place>
const vdt_plugin* entry(std::uint32_t, std::uint32_t, vdt_error*) noexcept {
    vdt_plugin& table = tables[Place];
    table = {};
    table.struct_size = sizeof table;
    table.id = fakes[Place]->id.c_str();
    table.version = "1.2.3";
    table.description = "A fake for tests";
    set(table.create, create<Place>);
    set(table.destroy, destroy);
    set(table.device_count, device_count);
    set(table.device_info, device_info);
    set(table.device_open, device_open);
    set(table.device_close, device_close);
    set(table.op_support, op_support);
    set(table.op_variant, op_variant);
    set(table.plan_create, plan_create);
    set(table.plan_run, plan_run);
    set(table.plan_destroy, plan_destroy);
    if (fakes[Place]->cost) set(table.op_cost, op_cost);
    if (fakes[Place]->keeps_images) {
        set(table.resident_create, resident_create);
        set(table.resident_destroy, resident_destroy);
    }
    return &table;
}

constexpr std::array<vdt_plugin_entry_fn, fake_places> entries = {entry<0>, entry<1>, entry<2>};

}  // namespace

vdt_code fail(vdt_error* error, vdt_code code, const char* text) {
    if (error != nullptr) {
        error->code = code;
        std::snprintf(error->text, sizeof error->text, "%s", text);
    }
    return code;
}

host::BuiltInPlugin built_in(Fake& fake, int place) {
    fakes[static_cast<std::size_t>(place)] = &fake;
    return {fake.id, entries[static_cast<std::size_t>(place)], {}};
}

}  // namespace vedette::test
