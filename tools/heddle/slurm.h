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
