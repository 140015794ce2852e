// Slurm through its own commands: sbatch, squeue, scontrol. No accounting is needed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace heddle::cli {

// Of a job array.
struct SlurmTasks {
  size_t running = 0, pending = 0;  // pending: also configuring and the like
  bool gone() const { return running + pending == 0; }
};

// What a #SBATCH line may hold: a name, with other characters than letters, digits and "._-" replaced; a
// file, with all that sbatch would take for something else escaped. Throws heddle::Error for a file whose
// name has characters that no such line can hold.
std::string job_name(const std::string& text);
std::string job_file(const std::filesystem::path& file);

// Submits a script; the job's id. Throws heddle::Error with sbatch's words.
std::string submit_job(const std::filesystem::path& script);

// Nothing when Slurm does not answer: that says nothing about the job.
std::optional<SlurmTasks> job_tasks(const std::string& job);

// How the tasks of a job that has ended ended: task -> "TIMEOUT", "FAILED, exit code 1", "FAILED, signal 9".
// Slurm forgets jobs after some minutes (MinJobAge); then this is empty.
std::map<std::string, std::string> job_ends(const std::string& job);

// The largest index of a job array plus one.
size_t largest_array();

}  // namespace heddle::cli
