// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "gpudoctor/result.hpp"

namespace gpudoctor {

/// The common names (issuer, then owner) of the X.509 certificates in an EFI variable such as MokListRT or db, as a file
/// of efivarfs: four bytes of attributes, then EFI_SIGNATURE_LISTs (UEFI specification, 32.4.1): GUID of the type, size
/// of the list, of its header and of each signature (32 bits each, little-endian); a signature is its owner's GUID and
/// the certificate. "key=NAME", each once. Hashes, which name no key, are passed over.
Result<std::vector<std::string>> efi_key_names(std::string_view variable);

/// The texts of the attribute common name (2.5.4.3) in a DER certificate, in their order.
std::vector<std::string> common_names(std::string_view der);

}  // namespace gpudoctor
