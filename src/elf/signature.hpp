// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "bytes.hpp"

namespace gpudoctor {

/// Who signed a kernel module: the common name of the signature's issuer, as `modinfo -F signer` shows it; "unnamed"
/// when there is a signature that names nobody (it carries a key id only). Nothing when the module is not signed.
/// The signature is not verified. Layout: Linux, include/linux/module_signature.h: after the ELF file come the
/// PKCS#7 message, a 12-byte struct module_signature whose last 4 bytes are the message's length, big-endian, and
/// "~Module signature appended~\n".
std::optional<std::string> module_signer(const Bytes& bytes);

}  // namespace gpudoctor
